import { basename } from 'node:path'

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

/** Refuses names that are not in the words of the field; CONTRIBUTING has the table. */
export const fieldWords = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      word: '"{{name}}": "{{word}}" is not a word of this field; use {{instead}}, or what CONTRIBUTING names for it.',
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
    const checkType = ({ id }) => {
      if (TYPES.has(id.name)) {
        context.report({ node: id, messageId: 'type', data: { name: id.name } })
      }
    }
    return {
      'Program'(node) {
        check(node, basename(context.filename).replace(/\..*$/, ''))
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
