if(LARDER_COOK)
	add_executable(bench_bc6h ${CMAKE_CURRENT_LIST_DIR}/bench_bc6h.c)
	target_link_libraries(bench_bc6h PRIVATE larder_flags room_block_cook room_image_cook room_os m)
endif()
