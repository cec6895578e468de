import { env } from '#start/env'
import { buildAnalysis } from '#worker/analysis_builder/build_analysis'
import { checkBuild } from '#worker/analysis_builder/check_build'
import { checkDistribution } from '#worker/distribution/check_distribution'
import { distributeAnalysis } from '#worker/distribution/distribute_analysis'
import { buildMasterImage } from '#worker/master_images/build_image'
import { imageSettings } from '#worker/master_images/settings'
import { synchronizeImages } from '#worker/master_images/synchronize_images'
import type { Job } from './job.js'

const images = imageSettings(env)

/** All jobs of the worker. */
export const JOBS: readonly Job[] = [
  buildAnalysis,
  checkBuild,
  distributeAnalysis,
  checkDistribution,
  synchronizeImages(images.sourcesOf),
  buildMasterImage(images.builder),
]
