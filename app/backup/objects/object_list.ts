import { StringDecoder } from 'node:string_decoder'

import type { Layout } from '#storage/objects/layout'

/** Result for an object: copied, missing, or different from what was uploaded. */
export type ObjectOutcome = 'kept' | 'gone' | 'damaged'

/** The object of a file, from its row. */
export interface ListedObject {
  /** Name in the backup: a digest of its address, so that names are evenly distributed. */
  readonly name: string
  readonly bucketId: string
  readonly layout: Layout
  readonly hash: string
  readonly region: string | null
  readonly size: number | null
  readonly sha256: string | null
}

export interface CopiedObject extends ListedObject {
  readonly outcome: ObjectOutcome
}

/** Objects are divided into sections by the first digits of their name. */
const SECTION_DIGITS = 2

/** Lists the objects of all files ordered by name, in the text format of `COPY`. */
export const OBJECT_LIST = `(
  select distinct on (name) encode(sha256(convert_to(
      f.layout || ' ' || f.bucket_id || ' ' || f.hash, 'UTF8')), 'hex') collate "C" as name,
    f.bucket_id, f.layout, f.hash, b.region, f.size, f.sha256
  from bucket_files f join buckets b on b.id = f.bucket_id order by name)`

/** All sections for objects. */
export function* objectSections(): Generator<string> {
  for (let number = 0; number < 16 ** SECTION_DIGITS; number++) {
    yield sectionOf(number.toString(16).padStart(SECTION_DIGITS, '0'))
  }
}

const sectionOf = (name: string): string => `objects-${name.slice(0, SECTION_DIGITS)}`

/** The part with the bytes of an object. */
export const partOf = ({ name }: Pick<ListedObject, 'name'>): string => `${sectionOf(name)}/${name}`

export function lineOf(object: CopiedObject): string {
  const { name, bucketId, layout, hash, region, size, sha256, outcome } = object
  const fields = [name, bucketId, layout, hash, region, size, sha256, outcome]
  return `${fields.map((field) => field ?? NULL).join('\t')}\n`
}

const NULL = '\\N'

/** Parses a list of objects. Lists of former versions have no outcome, which means `kept`. */
export async function* readObjects(chunks: AsyncIterable<Buffer>): AsyncGenerator<CopiedObject> {
  for await (const line of linesIn(chunks)) {
    const fields = line.split('\t').map((field) => (field === NULL ? null : field))
    const [name, bucketId, layout, hash, region, size, sha256, outcome] = fields
    yield {
      name: name!,
      bucketId: bucketId!,
      layout: layout as Layout,
      hash: hash!,
      region: region ?? null,
      size: size === null ? null : Number(size),
      sha256: sha256 ?? null,
      outcome: (outcome ?? 'kept') as ObjectOutcome,
    }
  }
}

/** Groups the objects of a list by section. */
export async function* inSections(
  objects: AsyncIterable<CopiedObject>
): AsyncGenerator<{ section: string; objects: CopiedObject[] }> {
  let section: CopiedObject[] = []
  for await (const object of objects) {
    const first = section[0]
    if (first && sectionOf(first.name) !== sectionOf(object.name)) {
      yield { section: sectionOf(first.name), objects: section }
      section = []
    }
    section.push(object)
  }
  if (section[0]) {
    yield { section: sectionOf(section[0].name), objects: section }
  }
}

async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
