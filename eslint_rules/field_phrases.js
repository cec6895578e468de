/** Phrases that say less than a word of the field, with what stands in their place. Each is a whole word or begins one. */
const PHRASES = [
  [/\b(?:told|untold|telling|tells)\b(?!.* apart)|\btell of\b/i, 'publish, notify, report, show'],
  [/\b(?:heard|hears?|hearing)\b/i, 'receive'],
  [/\bsaid\b/i, 'reported, stated'],
  [/\bbegun\b/i, 'started'],
  [/\bheld\b/i, 'locked, buffered, reserved'],
  [/\basked\b/i, 'requested'],
  [/\bmis-?fits?\b/i, 'mismatch'],
  [/\bmended\b/i, 'repaired'],
  [/\bsooner\b/i, 'earlier'],
  [/\bside by side\b/i, 'concurrently'],
  [/\bputs? (?:down|back)\b/i, 'store, mark, requeue, restore'],
  [/\bg(?:ives?|iven|ave|iving) (?:up(?! on)|back)\b/i, 'abandon, release'],
  [/\blook(?:s|ed|ing)? (?:at|after)\b/i, 'inspect, read, manage'],
  [/\bhand(?:s|ed|ing)? (?:in|out)\b/i, 'submit, deliver'],
  [/\bas good as\b/i, 'equivalent'],
  [/\bnobody\b/i, 'no user, no client, no process'],
  [
    /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|such\b|other\b|need\b|way\b|different\b|doubt\b)\w+/i,
    'is not a …',
  ],
  [/(?<!\bthere )\b(?:is|are|was|were) none\b(?! of\b)/i, 'is not a …'],
  [/\bof no (?!use\b|longer\b)\w+/i, 'without a …'],
  [/\btaken\b(?! (?:from|over|into|by|with|effect)\b)/i, 'accepted, read, copied, used, in use'],
  [/\bkept\b(?!-alive| alive)/i, 'stored, buffered, retained, unchanged'],
  [/(?:^|[.;] )(?:ones?|those) (?:that|who|which|whose)\b/i, 'the thing itself as the subject'],
  [/\bgo(?:es)? on\b/i, 'continues'],
  [/\b(?:no good|less than none|worth nothing|by half)\b/i, 'invalid, negative, useless, partly'],
  [/\bso many\b(?! that\b)/i, 'at most …'],
]

/** What is quoted, or in braces, is a name or a value, not a sentence. */
const QUOTED = /`[^`]*`|\{[^}]*\}/g

/** The first phrase of a text that is not of the field, with what to write instead. */
export function foreignPhrase(text) {
  const sentence = text.replace(QUOTED, '``').replace(/\s+/g, ' ').trim()
  for (const [pattern, instead] of PHRASES) {
    const [phrase] = pattern.exec(sentence) ?? []
    if (phrase !== undefined) {
      return { phrase: phrase.replace(/^[.;] /, ''), instead }
    }
  }
  return undefined
}
