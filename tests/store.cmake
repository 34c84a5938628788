set(store_test_libs room_store)
