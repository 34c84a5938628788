set(store_test_libs room_store)
foreach(subject find suggest)
	larder_test(test_store_mount_${subject} LIBS room_store room_pack_cook)
endforeach()
