import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The commands of a page of the documentation, or of one section of it, block by block. */
export function shellBlocks(page: string, section?: string): Promise<string[]> {
  return blocks(page, 'sh', section)
}

/** The output of these commands that a page shows. */
export function outputBlocks(page: string): Promise<string[]> {
  return blocks(page, 'text')
}

async function blocks(page: string, language: string, section?: string): Promise<string[]> {
  const file = fileURLToPath(new URL(`../../docs/${page}`, import.meta.url))
  const text = await readFile(file, 'utf8')
  const pattern = new RegExp('^```' + language + '\\n([^]*?)^```$', 'gm')
  return [...sectionOf(text, section).matchAll(pattern)].map(([, block]) => block!)
}

function sectionOf(text: string, section: string | undefined): string {
  if (section === undefined) {
    return text
  }
  const [, ...sections] = text.split(/^## /m)
  const found = sections.find((each) => each.startsWith(`${section}\n`))
  if (found === undefined) {
    throw new Error(`The page has no section "${section}"`)
  }
  return found
}
