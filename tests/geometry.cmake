set(geometry_fixtures ${CMAKE_CURRENT_LIST_DIR}/fixtures/geometry_shapes.c)
larder_test(test_geometry_tangents_judge SOURCES ${geometry_fixtures} LIBS room_geometry_cook)
