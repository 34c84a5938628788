# That what people read is true: docs/CMakeLists.txt makes the programs that these run.
if(LARDER_COOK AND PROJECT_IS_TOP_LEVEL)
	set(docs_sample ${CMAKE_CURRENT_BINARY_DIR}/docs-sample)
	file(MAKE_DIRECTORY ${docs_sample}/cook)
	set(courtyard ${PROJECT_SOURCE_DIR}/examples/courtyard/source)

	# The courtyard, cooked and packed, and a sky as cubemaps, where snippets look for them.
	add_test(NAME test_docs_sample COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/docs_sample.sh
		$<TARGET_FILE:larder-program> ${courtyard} ${docs_sample} ${PROJECT_SOURCE_DIR}/examples/sky.exr)
	set_tests_properties(test_docs_sample PROPERTIES FIXTURES_SETUP docs_sample)
	larder_threads(test_docs_sample larder-program)

	function(larder_docs_snippet name)
		add_test(NAME test_docs_snippet_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/docs_run.sh
			$<TARGET_FILE:snippet_${name}> ${ARGN} WORKING_DIRECTORY ${docs_sample})
		set_tests_properties(test_docs_snippet_${name} PROPERTIES FIXTURES_REQUIRED docs_sample)
		larder_threads(test_docs_snippet_${name} snippet_${name})
	endfunction()
	larder_docs_snippet(readme)
	larder_docs_snippet(bundle)
	larder_docs_snippet(mesh)
	larder_docs_snippet(lods)
	larder_docs_snippet(animation)
	larder_docs_snippet(texture)
	larder_docs_snippet(texture_cook ${courtyard}/StoneAlbedo.png)
	larder_docs_snippet(import ${courtyard})
	larder_docs_snippet(jobs ${docs_sample}/lantern ${docs_sample}/jobs)
	larder_docs_snippet(cook ${docs_sample}/lantern ${docs_sample}/cook)
	larder_docs_snippet(store patch)
	larder_docs_snippet(streaming courtyard/image.WallAlbedo)
	larder_docs_snippet(renderer courtyard.lpack courtyard)
	larder_docs_snippet(diagnostics session.trace)
	larder_docs_snippet(store_cook ${courtyard}/lantern.glb ${courtyard} lantern)
	if(LARDER_WITH_VULKAN)
		larder_docs_snippet(vulkan courtyard.lpack)
		# Drivers leak, and are unloaded by the time that it is told.
		set_tests_properties(test_docs_snippet_vulkan PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
	endif()
	get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
	if(CXX IN_LIST languages)
		larder_docs_snippet(store_cpp)
	endif()

	# The examples, on the same.
	function(larder_docs_example name)
		add_test(NAME test_docs_example_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/docs_run.sh
			$<TARGET_FILE:${name}> ${ARGN} WORKING_DIRECTORY ${docs_sample})
		set_tests_properties(test_docs_example_${name} PROPERTIES FIXTURES_REQUIRED docs_sample)
		larder_threads(test_docs_example_${name} ${name})
	endfunction()
	if(LARDER_EXAMPLES)
		larder_docs_example(read_bundle courtyard.lpack courtyard)
		larder_docs_example(read_texture cooked/courtyard/image.WallAlbedo.ktx2)
		larder_docs_example(hello_store courtyard.lpack courtyard)
		larder_docs_example(loading_screen courtyard.lpack courtyard lantern)
		larder_docs_example(cells courtyard.lpack courtyard)
		larder_docs_example(renderer_seam courtyard.lpack courtyard)
	endif()

	function(larder_docs_test name)
		add_test(NAME test_docs_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_docs_${name}.sh
			${PROJECT_SOURCE_DIR} ${ARGN})
		set_tests_properties(test_docs_${name} PROPERTIES LABELS release-only)
	endfunction()
	larder_docs_test(snippets)
	larder_docs_test(links)
	larder_docs_test(dependencies)
	larder_docs_test(formats $<TARGET_FILE:larder-docs-formats>)
	larder_docs_test(manual $<TARGET_FILE:larder-program>)
	larder_docs_test(linking ${PROJECT_BINARY_DIR})

	# Every command that a page shows, with what it prints.
	foreach(page README docs/guide-cook docs/guide-bundle docs/guide-mesh docs/guide-animation docs/guide-textures docs/guide-import docs/guide-store docs/guide-diagnostics)
		get_filename_component(name ${page} NAME)
		add_test(NAME test_docs_console_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_docs_console.sh
			${PROJECT_SOURCE_DIR} $<TARGET_FILE_DIR:larder-program> ${page}.md)
		set_tests_properties(test_docs_console_${name} PROPERTIES LABELS release-only)
	endforeach()

	larder_test(test_docs_schema LIBS room_cook_cook)
endif()
