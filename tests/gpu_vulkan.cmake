# Not under ThreadSanitizer: it can't see how drivers, which are not built with it, keep their threads apart.
if(LARDER_WITH_VULKAN AND NOT LARDER_SANITIZE MATCHES "thread")
	larder_test(test_gpu_vulkan_ranges LIBS room_gpu_vulkan)
	larder_test(test_gpu_vulkan LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c)
	larder_test(test_gpu_vulkan_meshes LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c)
	larder_test(test_gpu_vulkan_faults LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c fixtures/vulkan_hooks.c)
	larder_test(test_gpu_vulkan_soak LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c fixtures/vulkan_hooks.c)
	larder_test(test_gpu_vulkan_residents LIBS room_gpu room_gpu_vulkan room_format_cook
		SOURCES fixtures/vulkan_rig.c fixtures/vulkan_hooks.c)
	larder_test(test_gpu_vulkan_queues LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c fixtures/vulkan_hooks.c)

	# Shaders, as arrays of words that a test includes.
	find_program(GLSLC glslc)
	if(GLSLC)
		set(vulkan_shaders)
		foreach(shader sample_slot.comp sample_table.comp)
			set(made ${CMAKE_CURRENT_BINARY_DIR}/shaders/${shader}.inc)
			add_custom_command(OUTPUT ${made}
				COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/shaders
				COMMAND ${GLSLC} --target-env=vulkan1.2 -mfmt=c -o ${made} ${CMAKE_CURRENT_SOURCE_DIR}/shaders/${shader}
				DEPENDS shaders/${shader} VERBATIM)
			list(APPEND vulkan_shaders ${made})
		endforeach()
		larder_test(test_gpu_vulkan_sample LIBS room_gpu_vulkan SOURCES fixtures/vulkan_rig.c ${vulkan_shaders})
		target_include_directories(test_gpu_vulkan_sample PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
	else()
		message(STATUS "test_gpu_vulkan_sample will not be built: there is no glslc")
	endif()
endif()
