# The program, as its users run it.
if(LARDER_COOK)
	foreach(subject command_line cook pack info picture)
		add_test(NAME test_cli_${subject} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_cli_${subject}.sh
			$<TARGET_FILE:larder-program> ${PROJECT_SOURCE_DIR})
	endforeach()
endif()
