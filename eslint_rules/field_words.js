import { basename } from 'node:path'

import { foreignPhrase } from './field_phrases.js'

/** Words that say nothing to a reader of the field, with what stands in their place. */
const WORDS = {
  told: 'published, notified',
  tell: 'publish, notify',
  tells: 'publishes, notifies',
  telling: 'publishing, notifying',
  teller: 'publisher, notifier',
  untold: 'pending',
  heard: 'received',
  hear: 'receive, onNotification',
  hears: 'receives',
  said: 'reported, stated',
  saying: 'reporting',
  begun: 'started',
  held: 'locked, buffered, reserved',
  asked: 'requested',
  misfit: 'mismatch',
  mended: 'repaired',
  shelf: 'repository',
  shelves: 'repositories',
  doer: 'actor',
  sooner: 'earlier',
  twin: 'duplicate, peer',
}

const PHRASES = {
  'side by side': 'concurrently',
  'put down': 'markOffline, store',
  'put back': 'requeue, restore',
  'give back': 'release',
  'give up': 'abandon, deadLetter',
  'given up': 'abandoned, deadLettered',
  'look at': 'inspect, read',
  'look by': 'findBy',
  'hand in': 'submit',
  'as good as': 'equivalent',
}

/** What is nothing but a participle, or says the same in many places, names no type. */
const TYPES = new Set(
  'Found Asked Held Told Sent Seen Known Said Heard Kept Begun Untold Mended Misfit Place Needs Options'.split(
    ' '
  )
)

/** Attributes of a route or a schema that the OpenAPI document shows. */
const SHOWN = new Set(['summary', 'description'])

/** Refuses names and texts that are not in the words of the field; CONTRIBUTING has the table. */
export const fieldWords = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object', properties: { comments: { type: 'boolean' } } }],
    messages: {
      word: '"{{name}}": "{{word}}" is not a word of this field; use {{instead}}, or what CONTRIBUTING names for it.',
      phrase:
        '"{{phrase}}" says less than a word of this field; write {{instead}}, or whatever the reader knows it by.',
      type: 'A type is a noun that says what it is: "{{name}}" does not.',
    },
  },
  create(context) {
    const check = (node, name) => {
      const found = foreignWord(name)
      if (found) {
        context.report({ node, messageId: 'word', data: { name, ...found } })
      }
    }
    const [{ comments = true } = {}] = context.options
    const checkText = (node, text) => {
      const found = foreignPhrase(text)
      if (found) {
        context.report({ node, messageId: 'phrase', data: found })
      }
    }
    const checkTexts = (nodes) => {
      for (const node of nodes) {
        for (const text of textsOf(node)) {
          checkText(node, text)
        }
      }
    }
    const checkType = ({ id }) => {
      if (TYPES.has(id.name)) {
        context.report({ node: id, messageId: 'type', data: { name: id.name } })
      }
    }
    return {
      'Program'(node) {
        check(node, basename(context.filename).replace(/\..*$/, ''))
        for (const comment of comments ? context.sourceCode.getAllComments() : []) {
          checkText(comment, comment.value.replace(/^ *\* ?/gm, ''))
        }
      },
      'Property'({ key, value, parent }) {
        if (SHOWN.has(key.name)) {
          checkTexts([value])
        }
        if (key.name === 'name' && value.type === 'Literal' && isOperation(parent)) {
          check(value, String(value.value))
        }
      },
      ':matches(Literal, TemplateElement)'(node) {
        for (const name of sqlNamesIn(node)) {
          check(node, name)
        }
      },
      'NewExpression'(node) {
        checkTexts(node.arguments)
      },
      'CallExpression'(node) {
        if (TEXT_TAKERS.has(calledName(node.callee))) {
          checkTexts(node.arguments)
        }
      },
      ':matches(VariableDeclarator, FunctionDeclaration, FunctionExpression, ClassDeclaration, TSTypeAliasDeclaration, TSInterfaceDeclaration) > Identifier.id'(
        node
      ) {
        check(node, node.name)
      },
      ':matches(:function, TSFunctionType, TSMethodSignature) > :matches(Identifier, RestElement, AssignmentPattern).params'(
        node
      ) {
        const { name } = node.argument ?? node.left ?? node
        check(node, name ?? '')
      },
      ':matches(MethodDefinition, TSMethodSignature, TSAbstractMethodDefinition) > Identifier.key'(
        node
      ) {
        check(node, node.name)
      },
      'PrivateIdentifier'(node) {
        check(node, node.name)
      },
      'TSInterfaceDeclaration': checkType,
      'TSTypeAliasDeclaration': checkType,
      'ClassDeclaration[id]': checkType,
    }
  },
}

const STATEMENT = /\b(?:select|insert into|update|delete from|create|alter|drop)\b[^]*\b\w/i

/** Names with an underscore in a statement of SQL: those of tables and columns. */
function sqlNamesIn({ value }) {
  const text = value?.cooked ?? value
  return typeof text === 'string' && STATEMENT.test(text)
    ? (text.match(/\b[a-z]+_[a-z_]+\b/g) ?? [])
    : []
}

/** An operation of the interface: its name is its id in the OpenAPI document. */
const isOperation = ({ properties }) =>
  ['summary', 'access'].every((name) => properties.some(({ key }) => key?.name === name))

/** Functions whose texts people read: titles of tests, and messages of errors. */
const TEXT_TAKERS = new Set(['test', 'test.group', 'issue', 'super'])

function calledName({ type, name, object, property }) {
  if (type === 'Super') {
    return 'super'
  }
  return type === 'MemberExpression' ? `${object.name}.${property.name}` : name
}

/** The sentences that an expression may have as its value; a single word is a code. */
function textsOf(node) {
  return partsOf(node).filter((text) => /\s/.test(text))
}

function partsOf(node) {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : []
    case 'TemplateLiteral':
      return [node.quasis.map(({ value }) => value.cooked).join('…')]
    case 'BinaryExpression':
      return [[node.left, node.right].flatMap(partsOf).join('')]
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap(partsOf)
    default:
      return []
  }
}

function foreignWord(name) {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\W]+/)
  const word = words.find((each) => Object.hasOwn(WORDS, each))
  if (word) {
    return { word, instead: WORDS[word] }
  }
  const spoken = ` ${words.join(' ')} `
  const phrase = Object.keys(PHRASES).find((each) => spoken.includes(` ${each} `))
  return phrase && { word: phrase, instead: PHRASES[phrase] }
}
