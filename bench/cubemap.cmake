if(TARGET room_image_cook)
	add_executable(bench_cubemap ${CMAKE_CURRENT_LIST_DIR}/bench_cubemap.c)
	target_link_libraries(bench_cubemap PRIVATE larder_flags room_image_cook m)
endif()
