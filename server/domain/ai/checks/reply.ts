// What the checks look at, and what they say.

/** `language`: ISO 639-1; null if it isn't known. */
export type Source = { id: string; text: string; url: string | null; language: string | null }

export type CheckedReply = {
  text: string
  /** Ids of sources. */
  cited: readonly string[]
  /** Whether it claims something. Questions and greetings don't, and need no source. */
  isFactual: boolean
}

export type Known = {
  /** All that the model was shown in this turn, and what the team says of the company. */
  sources: readonly Source[]
  /** What tools returned in this turn, and actions lately: as true as a source. */
  results: readonly string[]
  /** Who writes, when and where: may be repeated, but is no ground for a claim. */
  circumstances?: readonly string[]
  /** The contact's own messages in this episode. */
  customerTexts: readonly string[]
  /** Sites that may be linked to, with all below them: example.com. */
  ownDomains: readonly string[]
  /** Never to be said: names of tools, marks of the system prompt, addresses and numbers of others. */
  privateWords: readonly string[]
  /** Our own instructions: several words of it in a row aren't said either. */
  privateText?: string
  /** The team's instructions: parts may be said, but not many words in a row that no other text has. */
  instructions?: string
  /** What was said last, the newest first. */
  lastReplies: readonly string[]
  /** ISO 639-1, of the reply; null if any will do. */
  language: string | null
  /** Of the channel, in characters. */
  lengthMax: number
  /** Values that this turn notes: they are the customer's own words. */
  noted?: readonly string[]
  /** Kinds of changes that this turn makes (AiEffect). */
  done?: readonly string[]
  /** Names of actions that were done lately. */
  actions?: readonly string[]
  /** People get the conversation with this reply, so it may say that they will reply. */
  isHandOver?: boolean
}

/** `message` tells the model how to repair it, and people what was wrong. */
export type ReplyProblem = {
  code:
    | 'empty'
    | 'too_long'
    | 'odd_characters'
    | 'source_missing'
    | 'source_unknown'
    | 'ungrounded'
    | 'echo'
    | 'invented'
    | 'link'
    | 'markup'
    | 'private'
    | 'promise'
    | 'asks_secret'
    | 'repeat'
    | 'language'
  message: string
}
