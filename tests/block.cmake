larder_test(test_block_decode LIBS room_block room_base m)
