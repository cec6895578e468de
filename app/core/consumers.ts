import { analysisFileConsumer } from '#core/analysis_bucket_files/file_events'
import { analysisBucketConsumer } from '#core/analysis_buckets/bucket_events'
import { buildConsumer, distributionConsumer } from '#core/analysis_life/worker_events'
import { analysisUpkeepConsumer } from '#core/analyses/upkeep_command'
import { imageBuildConsumer, imageCatalogueConsumer } from '#core/master_images/image_consumers'
import { registryConsumer } from '#core/registries/registry_consumer'

/** The consumers of core: for commands to registries, and for events of workers and storage. */
export const coreConsumers = [
  registryConsumer,
  buildConsumer,
  distributionConsumer,
  analysisBucketConsumer,
  analysisFileConsumer,
  analysisUpkeepConsumer,
  imageBuildConsumer,
  imageCatalogueConsumer,
] as const
