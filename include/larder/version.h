// larder/version.h: which larder this is. Semantic versions (semver.org, 2.0.0).

#ifndef LARDER_VERSION_H
#define LARDER_VERSION_H

#define LRD_VERSION_MAJOR 0
#define LRD_VERSION_MINOR 1
#define LRD_VERSION_PATCH 0
#define LRD_VERSION_STRING "0.1.0"

#endif
