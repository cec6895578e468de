import { VERSION } from '#kernel/version'

const STARTED = new Date(Date.now() - performance.now()).toISOString()

/** What the node reports about itself: its version, when its process started, and the time of its clock. */
export const nodeHeaders = (): Record<string, string> => ({
  'x-analysis-node-version': VERSION,
  'x-analysis-node-started': STARTED,
  'x-analysis-node-time': new Date().toISOString(),
})
