if(LARDER_COOK)
	add_executable(bench_tangents ${CMAKE_CURRENT_LIST_DIR}/bench_tangents.c)
	target_link_libraries(bench_tangents PRIVATE larder_flags room_geometry_cook ${CMAKE_DL_LIBS})
endif()
