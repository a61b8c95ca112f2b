import type { Mail } from '../../platform/mail.ts'
import type { DigestRow } from './digest-queries.ts'

/** More are counted. */
const LISTED_MAX = 20

const countOf = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`)

/** One email about all conversations that wait for somebody, each with a link. */
export const digestMail = (
  rows: readonly DigestRow[],
  { workspaceId, publicUrl, showText }: { workspaceId: string; publicUrl: string; showText: boolean },
): Mail => {
  const [{ email, workspaceName }] = rows as [DigestRow, ...DigestRow[]]
  const inbox = `${publicUrl}/w/${workspaceId}/inbox`
  const settingsUrl = `${publicUrl}/w/${workspaceId}/notifications`
  const groups = [...Map.groupBy(rows, ({ conversationId }) => conversationId)]
  const parts = groups
    .slice(0, LISTED_MAX)
    .map(([id, list]) => `${list[0]!.customerName}: ${linesOf(list, showText)}\n${inbox}/${id}`)
  const more = groups.length - LISTED_MAX
  return {
    to: email,
    subject: `${workspaceName}: ${countOf(groups.length, 'a conversation is', 'conversations are')} waiting for you`,
    text: `${parts.join('\n\n')}${more > 0 ? `\n\nAnd ${countOf(more, 'one more', 'more')}: ${inbox}` : ''}

--
You get this email because you weren’t online. Change when you’re notified, or turn these emails off:
${settingsUrl}
`,
    unsubscribeUrl: settingsUrl,
  }
}

const linesOf = (list: readonly DigestRow[], showText: boolean): string => {
  const latest = list.at(-1)!
  const messages = list.filter(({ kind }) => kind === 'message').length
  const text = showText && latest.text ? `\n> ${latest.text.replaceAll(/\s+/g, ' ')}` : ''
  return `${whatHappened(latest, messages)}${text}`
}

const whatHappened = ({ kind, actorName, conversationCount }: DigestRow, messages: number): string => {
  switch (kind) {
    case 'assigned':
      return conversationCount > 1
        ? `${actorName ?? 'Automation'} assigned this and ${countOf(conversationCount - 1, 'one other', 'others')} to you`
        : `${actorName ?? 'Automation'} assigned this to you`
    case 'mentioned':
      return `${actorName ?? 'Someone'} mentioned you in a note`
    case 'message':
      return countOf(messages, 'new message', 'new messages')
    case 'team':
      return 'unassigned in your team, and nobody has replied'
    case 'overdue':
      return 'the reply is overdue'
    case 'unassigned':
      return 'unassigned, and nobody has replied'
  }
}
