import { buildAnalysis } from '#worker/analysis_builder/build_analysis'
import { checkBuild } from '#worker/analysis_builder/check_build'
import { checkDistribution } from '#worker/distribution/check_distribution'
import { distributeAnalysis } from '#worker/distribution/distribute_analysis'
import { buildMasterImage } from '#worker/master_images/build_image'
import type { ImageSettings } from '#worker/master_images/settings'
import { synchronizeImages } from '#worker/master_images/synchronize_images'
import type { Job } from './job.js'

/** All jobs of the worker. */
export const allJobs = ({ sourcesOf, builder }: ImageSettings): readonly Job[] => [
  buildAnalysis,
  checkBuild,
  distributeAnalysis,
  checkDistribution,
  synchronizeImages(sourcesOf),
  buildMasterImage(builder),
]
