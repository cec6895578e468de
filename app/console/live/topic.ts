/** The content of a section of a page: records of a type, one record, or the records that refer to a record. */
export interface Topic {
  /** The text of the topic in the page. */
  readonly text: string
  readonly type: string
  readonly id: string | undefined
  readonly reference: { readonly field: string; readonly value: string } | undefined
}

/** A change that core publishes. */
export interface Change {
  readonly type: string
  readonly id: unknown
  readonly data: Readonly<Record<string, unknown>>
}

/** The types of records that pages show. */
const TYPES: ReadonlySet<string> = new Set([
  'analysis',
  'analysisBucketFile',
  'analysisNode',
  'node',
  'project',
  'projectNode',
  'registry',
])

const MAX_TOPICS = 20
const TOPIC = /^(\w{1,32})(?:\/([\w-]{1,64})|\?(\w{1,32})=([\w-]{1,64}))?$/

/** The topics of a page, such as `node analysis/<id> analysisNode?analysisId=<id>`. Unknown ones are left out. */
export function parseTopics(text: string): Topic[] {
  const words = [...new Set(text.split(/\s+/))].slice(0, MAX_TOPICS)
  return words.map(parseTopic).filter((topic) => topic !== undefined)
}

function parseTopic(text: string): Topic | undefined {
  const [, type = '', id, field, value] = TOPIC.exec(text) ?? []
  if (!TYPES.has(type)) {
    return undefined
  }
  const reference = field !== undefined && value !== undefined ? { field, value } : undefined
  return { text, type, id, reference }
}

/** Whether a change may affect a section with this topic. */
export function concerns({ type, id, reference }: Topic, change: Change): boolean {
  return (
    type === change.type &&
    (id === undefined || id === change.id) &&
    (reference === undefined || change.data[reference.field] === reference.value)
  )
}
