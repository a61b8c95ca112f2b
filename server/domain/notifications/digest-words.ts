import type { Mail } from '../../platform/mail.ts'
import type { DigestRow } from './digest-queries.ts'
import { type Words, wordsIn } from './words.ts'

/** More are counted. */
const LISTED_MAX = 20

/** One email about all conversations that wait for somebody, each with a link. */
export const digestMail = (
  rows: readonly DigestRow[],
  { workspaceId, publicUrl, showText }: { workspaceId: string; publicUrl: string; showText: boolean },
): Mail => {
  const [{ email, workspaceName, language }] = rows as [DigestRow, ...DigestRow[]]
  const words = wordsIn(language)
  const inbox = `${publicUrl}/w/${workspaceId}/inbox`
  const settingsUrl = `${publicUrl}/w/${workspaceId}/notifications`
  const groups = [...Map.groupBy(rows, ({ conversationId }) => conversationId)]
  const parts = groups
    .slice(0, LISTED_MAX)
    .map(([id, list]) => `${list[0]!.customerName}: ${linesOf(words, list, showText)}\n${inbox}/${id}`)
  const more = groups.length - LISTED_MAX
  return {
    to: email,
    subject: words.mail.subject(workspaceName, groups.length),
    text: `${parts.join('\n\n')}${more > 0 ? `\n\n${words.mail.more(more)}: ${inbox}` : ''}

--
${words.mail.why}
${settingsUrl}
`,
    unsubscribeUrl: settingsUrl,
  }
}

const linesOf = (words: Words, list: readonly DigestRow[], showText: boolean): string => {
  const latest = list.at(-1)!
  const messages = list.filter(({ kind }) => kind === 'message').length
  const text = showText && latest.text ? `\n> ${latest.text.replaceAll(/\s+/g, ' ')}` : ''
  return `${whatHappened(words, latest, messages)}${text}`
}

const whatHappened = (
  { automation, someone, mail }: Words,
  { kind, actorName, conversationCount }: DigestRow,
  messages: number,
): string => {
  switch (kind) {
    case 'assigned':
      return conversationCount > 1
        ? mail.assignedWith(actorName ?? automation, conversationCount - 1)
        : mail.assigned(actorName ?? automation)
    case 'mentioned':
      return mail.mentioned(actorName ?? someone)
    case 'message':
      return mail.newMessages(messages)
    case 'team':
      return mail.inTeam
    case 'overdue':
      return mail.overdue
    case 'unassigned':
      return mail.unassigned
  }
}
