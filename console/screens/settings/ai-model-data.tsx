import { DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

type Row = { what: string; isSent: boolean; how: string }

/** As gathered by server/domain/ai/turn/prepare-turn.ts. */
const ROWS: Row[] = [
  {
    what: t`The conversation`,
    isSent: true,
    how: t`Its latest messages, and a line about each of the last three times that it was open before. Card, bank account and ID numbers, passwords and codes are replaced where they’re recognized; email addresses and phone numbers only if you choose so under Privacy on the AI agent’s page.`,
  },
  {
    what: t`The customer`,
    isSent: true,
    how: t`Name and country, and the tags and custom fields that you open to the agent. No fields from web chat and unverified email, where anyone could claim to be them.`,
  },
  {
    what: t`The situation`,
    isSent: true,
    how: t`Channel, subject, date and time, and whether your team is there`,
  },
  {
    what: t`Knowledge`,
    isSent: true,
    how: t`What it finds of your articles and answers that this customer may see. For drafts, internal ones too. With an embedding model: all published articles and phrasings, and each question.`,
  },
  {
    what: t`Your instructions`,
    isSent: true,
    how: t`With your workspace’s name, the rules that apply to this customer, and what a flow wants to know`,
  },
  {
    what: t`What it may use`,
    isSent: true,
    how: t`Names of the fields, tags, flows and actions that you open to it, what was asked of these actions, and what they returned`,
  },
  { what: t`Other conversations`, isSent: false, how: '' },
  { what: t`Internal notes`, isSent: false, how: '' },
  {
    what: t`Files`,
    isSent: false,
    how: t`Only their names and types, unless you send customers’ pictures: see Privacy on the AI agent’s page`,
  },
  {
    what: t`IDs, keys, and your team’s names and emails`,
    isSent: false,
    how: t`The customer is identified by a pseudonym`,
  },
]

/** What leaves this server with each request to a model, and what does not. */
export const ModelData = () => (
  <Section
    title={t`What is sent`}
    about={t`To the address above, for each reply, draft, summary and rewritten text. A reply’s details in the inbox show what was sent. The provider’s own rules apply to it there.`}
  >
    <DataTable
      label={t`What is sent to the model`}
      rows={ROWS}
      keyOf={({ what }) => what}
      columns={[
        { id: 'what', head: t`Data`, cell: ({ what }) => what },
        { id: 'sent', head: t`Sent`, cell: ({ isSent }) => (isSent ? t`Yes` : t`No`), width: '6rem' },
        { id: 'how', head: t`Detail`, cell: ({ how }) => how || null },
      ]}
    />
  </Section>
)
