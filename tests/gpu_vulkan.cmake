if(LARDER_WITH_VULKAN)
	larder_test(test_gpu_vulkan LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c)
endif()
