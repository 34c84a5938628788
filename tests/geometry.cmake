set(geometry_fixtures ${CMAKE_CURRENT_LIST_DIR}/fixtures/geometry_shapes.c)
foreach(subject merge values weld tangents tangents_threads tangents_extremes meshlets pack density clusters quantize normals cards random bad memory)
	larder_test(test_geometry_${subject} SOURCES ${geometry_fixtures} LIBS room_geometry_cook)
endforeach()
foreach(subject tangents_judge tangents_corpus)
	larder_test(test_geometry_${subject} SOURCES ${geometry_fixtures} ${CMAKE_CURRENT_LIST_DIR}/fixtures/tangents_judge.c
		LIBS room_geometry_cook room_import_cook)
endforeach()
# A gigabyte, and minutes under a sanitizer.
if(TARGET test_geometry_tangents_extremes)
	set_tests_properties(test_geometry_tangents_extremes PROPERTIES LABELS release-only)
endif()

# Shapes and Hausdorff distances of their own.
set(lod_fixtures ${CMAKE_CURRENT_LIST_DIR}/fixtures/lod_shapes.c ${CMAKE_CURRENT_LIST_DIR}/fixtures/hausdorff.c)
foreach(subject lods lods_threads lods_distance)
	larder_test(test_geometry_${subject} SOURCES ${geometry_fixtures} ${lod_fixtures} LIBS room_geometry_cook)
endforeach()
