add_executable(bench_store ${CMAKE_CURRENT_LIST_DIR}/bench_store.c ${CMAKE_CURRENT_LIST_DIR}/store_loads.c
	${CMAKE_CURRENT_LIST_DIR}/store_references.c ${CMAKE_CURRENT_LIST_DIR}/store_tables.c)
target_link_libraries(bench_store PRIVATE larder_flags room_store room_pack_cook PkgConfig::ZSTD)
