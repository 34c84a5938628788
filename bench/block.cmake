if(LARDER_COOK)
	add_executable(bench_block
		${CMAKE_CURRENT_LIST_DIR}/bench_block.c ${CMAKE_CURRENT_LIST_DIR}/block_pictures.c)
	target_link_libraries(bench_block PRIVATE larder_flags room_block_cook room_image_cook room_os m)
endif()
