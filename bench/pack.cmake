add_executable(bench_pack ${CMAKE_CURRENT_LIST_DIR}/bench_pack.c)
target_link_libraries(bench_pack PRIVATE larder_flags room_pack_cook)
