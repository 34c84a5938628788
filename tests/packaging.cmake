# The shape of the source tree, and of what `cmake --install` leaves behind.
add_test(NAME check_rooms COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/check_rooms.sh ${PROJECT_SOURCE_DIR})
add_test(NAME test_check_rooms COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_check_rooms.sh ${PROJECT_SOURCE_DIR})

# Builds larder anew, in three ways; sanitizers would ask every consumer for theirs.
if(LARDER_COOK AND PROJECT_IS_TOP_LEVEL AND NOT LARDER_SANITIZE)
	add_test(NAME test_packaging COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/test_packaging.sh
		${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
	set_tests_properties(test_packaging PROPERTIES LABELS slow)
endif()
