interface ConditionText {
  /** What is so where the condition holds. */
  readonly text: string
  /** The command that brings it about. */
  readonly remedy?: (subject: Subject) => string
}

/** How the analysis and its project are named in commands. */
export interface Subject {
  readonly analysis: string
  readonly project: string
}

/** What is in the way of analyses, in words. A platform that is newer may know of more. */
const CONDITIONS: Readonly<Record<string, ConditionText>> = {
  build_initialized: {
    text: 'no build was begun',
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
    text: 'a file of the code is what it starts with',
    remedy: ({ analysis }) => `hubctl analysis entrypoint ${analysis} <path>`,
  },
  image_required: {
    text: 'an image is chosen',
    remedy: ({ analysis }) => `hubctl update analysis ${analysis} masterImageId=<image>`,
  },
  project_approval_required: {
    text: 'its nodes take part in the project',
    remedy: ({ project }) => `hubctl project approve ${project}`,
  },
  nodes_approval_required: {
    text: 'its nodes have approved its content',
    remedy: ({ analysis }) => `hubctl analysis approve ${analysis}`,
  },
  build_not_startable: { text: 'no build is at work' },
  build_not_finished: {
    text: 'it is built',
    remedy: ({ analysis }) => `hubctl analysis build ${analysis}`,
  },
  image_signature_invalid: {
    text: 'the image carries a signature of this hub',
    remedy: ({ analysis }) => `hubctl image verify ${analysis}`,
  },
  registry_unconfigured: {
    text: 'there is a registry',
    remedy: () => 'hubctl create registry name=… host=… accountName=… accountSecret=@-',
  },
  node_registry_unassigned: {
    text: 'each of its nodes has a registry',
    remedy: () => 'hubctl update node <node> registryId=<registry>',
  },
  distribution_not_startable: { text: 'no distribution is at work' },
  execution_not_finished: { text: 'its nodes have executed it' },
  worker_missing: { text: 'a worker takes it on' },
}

export function conditionText(code: string): ConditionText {
  return CONDITIONS[code] ?? { text: code }
}

/** What is done where nothing is in the way. */
const NEXT: Readonly<Record<string, string>> = {
  configuration: 'lock',
  build: 'build',
  distribution: 'distribute',
}

export function nextStep(phase: string, analysis: string): string {
  const step = NEXT[phase]
  return step === undefined
    ? 'Nothing is in the way.'
    : `Nothing is in the way of what comes next: hubctl analysis ${step} ${analysis}`
}
