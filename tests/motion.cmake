foreach(subject rotations constant thin share)
	larder_test(test_motion_${subject} LIBS room_motion_cook)
endforeach()

# What a cooked model's vertices do, for tests/judges/poses.mjs.
if(LARDER_COOK)
	add_executable(judge_poses judges/poses.c)
	target_link_libraries(judge_poses PRIVATE larder_flags larder::larder)
endif()
