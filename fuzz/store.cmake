larder_fuzz(residency LIBS room_store room_base_cook larder_fixtures)
larder_fuzz(trace LIBS room_store_cook larder_fixtures)
