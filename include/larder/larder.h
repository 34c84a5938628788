// larder/larder.h: the run-time half, whole.

#ifndef LARDER_LARDER_H
#define LARDER_LARDER_H

#include "larder/base.h"
#include "larder/clip.h"
#include "larder/gpu.h"
#include "larder/jobs.h"
#include "larder/material.h"
#include "larder/mesh.h"
#include "larder/model.h"
#include "larder/pack.h"
#include "larder/payload.h"
#include "larder/residents.h"
#include "larder/scope.h"
#include "larder/skeleton.h"
#include "larder/snapshot.h"
#include "larder/store.h"
#include "larder/stream.h"
#include "larder/texture.h"
#include "larder/ticket.h"
#include "larder/version.h"

#endif
