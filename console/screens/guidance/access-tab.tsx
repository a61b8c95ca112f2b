import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { ListField } from '../../ui/list-field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import type { TabProps } from './use-guidance.ts'
import { readDomain, readUpTo } from './words.ts'

const FIELD_MAX = 64

const isNothing = (list: readonly unknown[] | undefined) => list?.length === 0

/** What it may see and use. Everything else doesn't exist for it. */
export const AccessTab = ({ guidance, names: { tags, flows, actions }, onChange }: TabProps) => (
  <div className="stack">
    <Section title={t`Custom fields`} about={t`Of the customer it is talking to. It never sees the others.`}>
      <div className="stack stack--fields">
        <ListField
          label={t`It sees`}
          areLines
          hint={t`Names of custom fields, one per line.`}
          placeholder={t`e.g. plan`}
          items={guidance.readableFields}
          itemsMax={50}
          read={readUpTo(FIELD_MAX)}
          problem={t`At most 64 characters each.`}
          onChange={(readableFields) => onChange({ readableFields }, 'readable')}
        />
        <ListField
          label={t`It fills in`}
          areLines
          hint={t`What customers tell it. The conversation says so.`}
          placeholder={t`e.g. order_number`}
          items={guidance.writableFields}
          itemsMax={50}
          read={readUpTo(FIELD_MAX)}
          problem={t`At most 64 characters each.`}
          onChange={(writableFields) => onChange({ writableFields }, 'writable')}
        />
      </div>
    </Section>
    <Section title={t`What it may do`}>
      <div className="stack stack--fields">
        {isNothing(tags) && isNothing(flows) && isNothing(actions) && (
          <p className="text-soft">{t`There are no tags, flows or actions yet.`}</p>
        )}
        <CheckGroup
          label={t`Add and remove tags`}
          name="tagIds"
          options={namedOptions(tags)}
          chosen={guidance.tagIds}
          onChange={(tagIds) => onChange({ tagIds })}
        />
        <CheckGroup
          label={t`Start flows`}
          name="flowIds"
          options={namedOptions(flows)}
          chosen={guidance.flowIds}
          onChange={(flowIds) => onChange({ flowIds })}
        />
        <CheckGroup
          label={t`Use actions`}
          hint={t`Who must agree to each call is set with the action.`}
          name="actionIds"
          options={namedOptions(actions)}
          chosen={guidance.actionIds}
          onChange={(actionIds) => onChange({ actionIds })}
        />
      </div>
    </Section>
    <Section
      title={t`Links`}
      about={t`It may link to these sites and to the pages it cites. Other links are not sent.`}
    >
      <div className="stack stack--fields">
        <ListField
          label={t`Sites`}
          areLines
          hint={t`One domain per line. Optional.`}
          placeholder={t`e.g. www.example.com`}
          items={guidance.domains}
          itemsMax={20}
          read={readDomain}
          problem={t`Use domains such as www.example.com.`}
          onChange={(domains) => onChange({ domains }, 'domains')}
        />
      </div>
    </Section>
  </div>
)
