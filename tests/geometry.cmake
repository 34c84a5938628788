set(geometry_fixtures ${CMAKE_CURRENT_LIST_DIR}/fixtures/geometry_shapes.c)
foreach(subject merge values weld tangents tangents_threads tangents_extremes tangents_judge meshlets pack clusters quantize normals cards random bad memory)
	larder_test(test_geometry_${subject} SOURCES ${geometry_fixtures} LIBS room_geometry_cook)
endforeach()
# A gigabyte, and minutes under a sanitizer.
if(TARGET test_geometry_tangents_extremes)
	set_tests_properties(test_geometry_tangents_extremes PROPERTIES LABELS release-only)
endif()
