import Type, { type Static } from 'typebox'
import {
  AI_HOURS,
  AI_LENGTHS,
  AI_TONES,
  RULE_ACTIONS,
  type Guidance as StoredGuidance,
} from '../../../platform/db/tables.ts'
import { CUSTOM_FIELD_KEY_MAX } from '../../contacts/schema.ts'
import {
  AUDIENCE_LANGUAGES_MAX,
  AUDIENCE_TAGS_MAX,
  COUNTRIES_MAX,
  Country,
  Language,
} from '../../knowledge/schema.ts'
import { ChannelEnum, Moment, nullable, Text } from '../../schema.ts'

export const INSTRUCTIONS_MAX = 8_000
export const RULES_MAX = 50
export const RULE_WHEN_MAX = 300
export const RULE_TEXT_MAX = 1_000
export const STYLE_MAX = 500
export const LANGUAGES_MAX = 20
export const TOPICS_MAX = 20
export const TOPIC_MAX = 100
export const DOMAINS_MAX = 20
export const DOMAIN_MAX = 253
export const FIELDS_MAX = 50
export const TAGS_MAX = 50
export const FLOWS_MAX = 20
export const ACTIONS_MAX = 20
export const VERSIONS_SHOWN_MAX = 50

const ID_MAX = 40

/** Of a draft: may still be empty. */
const Draft = (maxLength: number, options: Record<string, unknown> = {}) =>
  Type.String({ trim: true, maxLength, ...options })

const ids = (maxItems: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: ID_MAX }), { maxItems, uniqueItems: true, description })

const Fields = (description: string) =>
  Type.Array(Text(CUSTOM_FIELD_KEY_MAX), { maxItems: FIELDS_MAX, uniqueItems: true, description })

const RuleCondition = Type.Object(
  {
    channels: Type.Array(ChannelEnum, { maxItems: 10, uniqueItems: true }),
    countries: Type.Array(Country, { maxItems: COUNTRIES_MAX, uniqueItems: true }),
    tagIds: ids(AUDIENCE_TAGS_MAX, 'Customers with at least one of these tags.'),
    languages: Type.Array(Language, { maxItems: AUDIENCE_LANGUAGES_MAX, uniqueItems: true }),
    hours: Type.Enum([...AI_HOURS]),
  },
  {
    title: 'GuidanceRuleCondition',
    description: 'Every list that is not empty must contain a value of the customer or the conversation.',
  },
)

const Rule = Type.Object(
  {
    when: Draft(RULE_WHEN_MAX, {
      description: 'In plain words. Empty: always.',
      examples: ['the customer asks for a discount'],
    }),
    action: Type.Enum([...RULE_ACTIONS]),
    text: Draft(RULE_TEXT_MAX, { description: 'What to say, ask or never do.' }),
    only: RuleCondition,
  },
  { title: 'GuidanceRule' },
)

export const Guidance = Type.Object(
  {
    instructions: Draft(INSTRUCTIONS_MAX),
    rules: Type.Array(Rule, { maxItems: RULES_MAX }),
    tone: Type.Enum([...AI_TONES]),
    style: Draft(STYLE_MAX, { description: 'How it writes, in your own words.' }),
    length: Type.Enum([...AI_LENGTHS]),
    languages: Type.Array(Language, {
      maxItems: LANGUAGES_MAX,
      uniqueItems: true,
      description: 'In which it replies. Empty: in the customer’s.',
    }),
    sensitiveTopics: Type.Array(Text(TOPIC_MAX), {
      maxItems: TOPICS_MAX,
      uniqueItems: true,
      description: 'Subjects that go to people.',
    }),
    domains: Type.Array(
      Type.String({
        trim: true,
        maxLength: DOMAIN_MAX,
        pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9-]{2,63}$',
        patternSays: 'must be a domain such as "example.com", in lowercase',
      }),
      { maxItems: DOMAINS_MAX, uniqueItems: true, description: 'Sites that it may link to.' },
    ),
    readableFields: Fields('Custom fields that it is shown.'),
    writableFields: Fields('Custom fields that it may fill in.'),
    tagIds: ids(TAGS_MAX, 'Tags that it may add and remove.'),
    flowIds: ids(FLOWS_MAX, 'Flows that it may start.'),
    actionIds: ids(ACTIONS_MAX, 'Actions that it may use.'),
  },
  { title: 'Guidance' },
)
export type Guidance = StoredGuidance

export const DraftBody = Type.Object(
  {
    guidance: Guidance,
    revision: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Of the draft that it was made from. 0: there was none.',
    }),
  },
  { title: 'GuidanceDraftBody' },
)
export type DraftBody = Static<typeof DraftBody>

export const DraftSaved = Type.Object(
  { revision: Type.Integer(), updatedAt: Moment },
  { title: 'GuidanceSaved' },
)
export type DraftSaved = Static<typeof DraftSaved>

export const PublishBody = Type.Object({ revision: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }) })

const Person = Type.Object({ id: Type.String(), name: Type.String() }, { title: 'GuidanceEditor' })

export const GuidanceAnswer = Type.Object(
  {
    draft: Guidance,
    revision: Type.Integer(),
    updatedBy: nullable(Person),
    updatedAt: nullable(Moment),
    liveVersion: nullable(Type.Integer()),
    hasChanges: Type.Boolean({ description: 'The draft differs from the live version.' }),
    versions: Type.Array(Type.Object({ version: Type.Integer(), publishedAt: Moment, publishedBy: Person }), {
      description: `Newest first, at most ${VERSIONS_SHOWN_MAX}.`,
    }),
  },
  { title: 'GuidanceAnswer' },
)
export type GuidanceAnswer = Static<typeof GuidanceAnswer>
export type GuidanceVersions = GuidanceAnswer['versions']

export const VersionParams = Type.Object({ version: Type.String() })
export const VersionAnswer = Type.Object({ version: Type.Integer(), guidance: Guidance })
export type VersionAnswer = Static<typeof VersionAnswer>
