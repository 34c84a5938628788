set(geometry_fixtures ${CMAKE_CURRENT_LIST_DIR}/fixtures/geometry_shapes.c)
foreach(subject merge weld tangents tangents_judge meshlets pack clusters quantize normals cards random bad memory)
	larder_test(test_geometry_${subject} SOURCES ${geometry_fixtures} LIBS room_geometry_cook)
endforeach()
