# `larder view`, by its pictures. Not under ThreadSanitizer: it can't see how drivers keep their threads apart.
if(LARDER_WITH_VIEW AND NOT LARDER_SANITIZE MATCHES "thread")
	add_test(NAME test_view_command_line COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_view_command_line.sh
		$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR})
	add_test(NAME test_view_table COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_view_table.sh
		$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR})
	foreach(subject pictures motion session budget)
		larder_test(test_view_${subject} LIBS larder-program-view SOURCES fixtures/gltf_build.c)
		target_compile_definitions(test_view_${subject} PRIVATE LARDER_PROGRAM="$<TARGET_FILE:larder-program>")
		add_dependencies(test_view_${subject} larder-program)
	endforeach()
	larder_test(test_view_steady LIBS larder-program-view SOURCES fixtures/gltf_build.c)
	target_compile_definitions(test_view_steady PRIVATE LARDER_PROGRAM="$<TARGET_FILE:larder-program>")
	add_dependencies(test_view_steady larder-program)
	foreach(allocation malloc calloc realloc aligned_alloc free)
		target_link_options(test_view_steady PRIVATE -Wl,--wrap=${allocation})
	endforeach()
	# A layer that makes a driver fail, and what tells the loader of it.
	add_library(larder_fault_layer MODULE fixtures/vulkan_fault_layer.c)
	target_link_libraries(larder_fault_layer PRIVATE larder_flags)
	file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/vulkan_layer/larder_fault_layer.json CONTENT "{
	\"file_format_version\": \"1.1.2\",
	\"layer\": {
		\"name\": \"VK_LAYER_LARDER_fault\",
		\"type\": \"GLOBAL\",
		\"library_path\": \"$<TARGET_FILE:larder_fault_layer>\",
		\"api_version\": \"1.2.0\",
		\"implementation_version\": \"1\",
		\"description\": \"fails where a test wants it to\"
	}
}
")
	larder_test(test_view_window LIBS larder-program-view SOURCES fixtures/gltf_build.c)
	target_compile_definitions(test_view_window PRIVATE LARDER_PROGRAM="$<TARGET_FILE:larder-program>"
		LARDER_FAULT_LAYER="${CMAKE_CURRENT_BINARY_DIR}/vulkan_layer")
	add_dependencies(test_view_window larder-program larder_fault_layer)
	larder_test(test_view_kinds LIBS larder-program-view SOURCES fixtures/gltf_build.c)
	target_compile_definitions(test_view_kinds PRIVATE LARDER_PROGRAM="$<TARGET_FILE:larder-program>")
	add_dependencies(test_view_kinds larder-program)
	add_test(NAME test_view_faults COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_view_faults.sh
		$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/vulkan_layer)
	target_compile_definitions(test_view_session PRIVATE LARDER_FAULT_LAYER="${CMAKE_CURRENT_BINARY_DIR}/vulkan_layer")
	add_dependencies(test_view_session larder_fault_layer)
	if(LARDER_SANITIZE MATCHES "address")
		set_tests_properties(test_view_kinds test_view_window PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
		# Drivers leak, and have been unloaded by the time that leaks are told: nobody can say whose they are.
		set_tests_properties(test_view_command_line test_view_table test_view_pictures test_view_motion test_view_session
			PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
	endif()
	add_test(NAME test_view_golden COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_view_golden.sh
		$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR})
	# What drivers take longest for, and says no more of larder under a sanitizer than the others.
	set_tests_properties(test_view_golden test_view_steady test_view_budget test_view_faults PROPERTIES LABELS release-only)
	# Golden images are made anew on purpose only, and looked at before they are committed.
	add_custom_target(larder-golden-view COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_view_golden.sh
		$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR} --renew VERBATIM)
endif()
