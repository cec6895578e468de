import type { TracingSettings } from '#tracing/spans'
import { env } from '#start/env'

const { SURFACES, JOBS } = env

/** Conventions of OpenTelemetry: processes of one role share a service name. */
function serviceName(): string {
  if (SURFACES.length > 0) {
    return 'analysis-hub'
  }
  const isWorker = JOBS.every((job) => job === 'worker')
  return isWorker ? 'analysis-hub-worker' : 'analysis-hub-jobs'
}

const settings: TracingSettings = {
  endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
  share: env.OTEL_TRACES_SAMPLER_ARG,
  serviceName: serviceName(),
}

export default settings
