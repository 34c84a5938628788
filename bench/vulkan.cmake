if(LARDER_WITH_VULKAN)
	add_executable(bench_vulkan ${CMAKE_CURRENT_LIST_DIR}/bench_vulkan.c)
	target_link_libraries(bench_vulkan PRIVATE larder_flags room_gpu_vulkan)
endif()
