interface ConditionText {
  /** The sentence that is true if the condition holds. */
  readonly text: string
  /** The command that fulfils the condition. */
  readonly remedy?: (subject: Subject) => string
}

/** Names of the analysis and its project for suggested commands. */
export interface Subject {
  readonly analysis: string
  readonly project: string
}

/** Texts of the known conditions. A newer platform may report others. */
const CONDITIONS: Readonly<Record<string, ConditionText>> = {
  build_initialized: {
    text: 'no build has started',
    remedy: ({ analysis }) => `hubctl analysis unlock ${analysis}`,
  },
  default_node_required: {
    text: 'a node with data is assigned',
    remedy: ({ analysis }) => `hubctl create analysis-node analysisId=${analysis} nodeId=<node>`,
  },
  aggregator_node_required: {
    text: 'a node of the type aggregator is assigned',
    remedy: ({ analysis }) => `hubctl create analysis-node analysisId=${analysis} nodeId=<node>`,
  },
  entrypoint_required: {
    text: 'a file of the code is chosen as its entrypoint',
    remedy: ({ analysis }) => `hubctl analysis entrypoint ${analysis} <path>`,
  },
  image_required: {
    text: 'an image is chosen',
    remedy: ({ analysis }) => `hubctl update analysis ${analysis} masterImageId=<image>`,
  },
  project_approval_required: {
    text: 'its nodes are approved for the project',
    remedy: ({ project }) => `hubctl project approve ${project}`,
  },
  nodes_approval_required: {
    text: 'its nodes have approved its content',
    remedy: ({ analysis }) => `hubctl analysis approve ${analysis}`,
  },
  build_not_startable: { text: 'no build is running' },
  build_not_finished: {
    text: 'it is built',
    remedy: ({ analysis }) => `hubctl analysis build ${analysis}`,
  },
  image_signature_invalid: {
    text: 'the image carries a signature of this hub',
    remedy: ({ analysis }) => `hubctl image verify ${analysis}`,
  },
  registry_unconfigured: {
    text: 'a registry exists',
    remedy: () => 'hubctl create registry name=… host=… accountName=… accountSecret=@-',
  },
  node_registry_unassigned: {
    text: 'each of its nodes has a registry',
    remedy: () => 'hubctl update node <node> registryId=<registry>',
  },
  distribution_not_startable: { text: 'no distribution is running' },
  execution_not_finished: { text: 'its nodes have executed it' },
  worker_missing: { text: 'a worker is available' },
}

export function conditionText(code: string): ConditionText {
  return CONDITIONS[code] ?? { text: code }
}

/** The next command of each phase. */
const NEXT: Readonly<Record<string, string>> = {
  configuration: 'lock',
  build: 'build',
  distribution: 'distribute',
}

export function nextStep(phase: string, analysis: string): string {
  const step = NEXT[phase]
  return step === undefined
    ? 'Nothing blocks it.'
    : `Nothing blocks the next step: hubctl analysis ${step} ${analysis}`
}
