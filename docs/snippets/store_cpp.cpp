// The C++ of docs/guide-store.md, as a program. Run where courtyard.lpack lies.

#include <larder/larder.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

/// A reference that moves like a value, and is given back with it.
class held_asset
{
  public:
	held_asset() = default;
	held_asset(lrd_store *store, lrd_asset asset)
	{
		lrd_hold_take(&hold, store, asset);
	}
	held_asset(held_asset &&other) noexcept
	{
		lrd_hold_move(&hold, &other.hold);
	}
	held_asset &operator=(held_asset &&other) noexcept
	{
		lrd_hold_move(&hold, &other.hold);
		return *this;
	}
	~held_asset()
	{
		lrd_hold_end(&hold);
	}
	const lrd_texture *texture() const
	{
		return hold.store != nullptr ? lrd_texture_get(hold.store, hold.asset) : nullptr;
	}

  private:
	lrd_hold hold = {};
};

static bool run(lrd_store *store)
{
	lrd_error error = {};
	lrd_asset wall = lrd_asset_find(store, LRD_TEXTURE, "courtyard/image.WallAlbedo", &error);
	if (!lrd_retain_now(store, wall, &error))
	{
		std::fprintf(stderr, "%s\n", error.message);
		return false;
	}
	held_asset first(store, wall);
	lrd_release(store, wall);
	held_asset second;
	second = std::move(first);
	return first.texture() == nullptr && second.texture() != nullptr && second.texture()->view.width > 0;
}

int main()
{
	lrd_store_desc desc = {};
	desc.pack = "courtyard.lpack";
	lrd_store *store = lrd_store_open(&desc, nullptr);
	bool good = store != nullptr && run(store);
	uint32_t leaks = lrd_store_close(store);
	return good && leaks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
