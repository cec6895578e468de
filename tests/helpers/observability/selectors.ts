const STRING = /"(?:[^"\\]|\\.)*"/g
const RANGE = /\[[^\]]*\]/g
const GROUPING = /\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
const SELECTOR = /\b([a-z_]\w*)\b(?!\s*\()(?:\s*\{([^}]*)\})?/g
const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool'])

export interface Selector {
  readonly metric: string
  readonly labels: readonly string[]
}

/** The metrics that a PromQL expression selects, with the labels of their matchers. */
export function selectorsIn(expression: string): Selector[] {
  const bare = expression.replace(STRING, '""').replace(RANGE, '').replace(GROUPING, '')
  const withoutDurations = bare.replace(/\b\d+(?:\.\d+)?(?:e\d+|[smhd])?\b/g, '')
  return [...withoutDurations.matchAll(SELECTOR)]
    .map(([, metric = '', matchers = '']) => ({ metric, labels: labelsIn(matchers) }))
    .filter(({ metric }) => !WORDS.has(metric))
}

/** The labels by which an expression groups. */
export function groupingsIn(expression: string): string[] {
  return [...expression.matchAll(GROUPING)].flatMap(([, , labels = '']) =>
    labels.split(',').map((label) => label.trim())
  )
}

const labelsIn = (matchers: string) =>
  [...matchers.matchAll(/([a-z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
