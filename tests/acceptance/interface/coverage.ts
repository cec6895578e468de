import { readFileSync } from 'node:fs'

import ts from 'typescript'

export interface Statement {
  id: string
  title: string
}

/** A test without a statement, or whose title cannot be read statically. */
export interface Misnamed {
  file: string
  line: number
  reason: string
}

/**
 * All statements of the interface, in the order in which they stand there.
 */
export function readStatements(): Statement[] {
  return JSON.parse(readFileSync(new URL('./statements.json', import.meta.url), 'utf8'))
}

/** The part of an id that comes before the number. */
export function sectionOf({ id }: Statement): string {
  return id.replace(/ (row )?\d+[a-z]?$/, '')
}

/**
 * Finds the statements that tests of a source file are about, from their titles alone: `<id>: <what is seen>`. A test
 * without a body or one that is always skipped shows nothing and does not count.
 */
export function testedIn(file: string, text: string, statements: readonly Statement[]) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const known = new Set(statements.map(({ id }) => id))
  const tested = new Set<string>()
  const misnamed: Misnamed[] = []

  function visit(node: ts.Node): void {
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'test'
    ) {
      scan(node)
    }
    ts.forEachChild(node, visit)
  }

  function scan(call: ts.CallExpression): void {
    const title = call.arguments[0]
    const line = source.getLineAndCharacterOfPosition(call.getStart()).line + 1
    if (!title || !ts.isStringLiteralLike(title)) {
      misnamed.push({ file, line, reason: 'the title is not a plain text' })
      return
    }
    const id = title.text.split(': ')[0]!
    if (!known.has(id)) {
      misnamed.push({ file, line, reason: `"${id}" is no statement of the interface` })
    } else if (showsSomething(call)) {
      tested.add(id)
    }
  }

  visit(source)
  return { tested, misnamed }
}

function showsSomething(call: ts.CallExpression): boolean {
  const chained = [...chainedCalls(call)]
  const hasBody = call.arguments.length > 1 || chained.some(({ name }) => name === 'run')
  return hasBody && !chained.some(isAlwaysSkipped)
}

function isAlwaysSkipped({ name, first }: { name: string; first?: ts.Expression }): boolean {
  return name === 'skip' && (!first || first.kind === ts.SyntaxKind.TrueKeyword)
}

/** The chained calls on a call: `skip` and `run` of `test('…').skip().run()`. */
function* chainedCalls(
  call: ts.CallExpression
): Generator<{ name: string; first?: ts.Expression }> {
  const access = call.parent
  if (ts.isPropertyAccessExpression(access) && ts.isCallExpression(access.parent)) {
    yield { name: access.name.text, first: access.parent.arguments[0] }
    yield* chainedCalls(access.parent)
  }
}
