import { readFileSync } from 'node:fs'

const MARK = /<!-- file (\S+) -->[^]*?<!-- end -->/g

const LANGUAGES: Record<string, string> = { service: 'ini', env: 'ini', conf: 'nginx' }

/** Includes files between their marks in a page. */
export function withIncludedFiles(page: string): string {
  return page.replaceAll(MARK, (_, file: string) =>
    [`<!-- file ${file} -->`, '', fenced(file), '', '<!-- end -->'].join('\n')
  )
}

function fenced(file: string): string {
  const language = LANGUAGES[file.split('.').at(-1)!] ?? ''
  return ['```' + language, readFileSync(file, 'utf8').trimEnd(), '```'].join('\n')
}
