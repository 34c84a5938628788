# The program, as its users run it; what it says of meshes; and what draws its pictures of them, sample by sample.
if(LARDER_COOK)
	foreach(subject command_line cook pack info picture picture_mesh replay)
		add_test(NAME test_cli_${subject} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_cli_${subject}.sh
			$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR})
		larder_threads(test_cli_${subject} larder-program)
	endforeach()
	larder_test(test_cli_cook_mesh LIBS larder-program-drawing SOURCES ${PROJECT_SOURCE_DIR}/src/cli/cook_mesh.c)
	larder_test(test_cli_cook_motion LIBS larder-program-drawing
		SOURCES ${PROJECT_SOURCE_DIR}/src/cli/cook_motion.c ${PROJECT_SOURCE_DIR}/src/cli/cook_mesh.c)
	larder_test(test_cli_raster LIBS larder-program-drawing)
	larder_test(test_cli_draw_mesh LIBS larder-program-drawing room_format_cook)
	larder_test(test_cli_draw_model LIBS larder-program-drawing SOURCES fixtures/gltf_build.c)
endif()
