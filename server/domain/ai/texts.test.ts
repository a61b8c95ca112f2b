// The agent's own words are there in each language, with what is put in, and as short as buttons have to be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_IN_LANGUAGES } from '../../../flow-engine/built-in-texts.ts'
import { languageOf } from './guards/language.ts'
import { sensitiveTopic } from './guards/topics.ts'
import { aboutItself, disclosure, OWN_LANGUAGES, ownText, saysHelped, usuallyReplies } from './texts.ts'

const BUTTON_MAX = 20

test('each language has its words, in that language', async () => {
  assert.ok(OWN_LANGUAGES.length >= 12)
  for (const language of OWN_LANGUAGES) {
    assert.ok(BUILT_IN_LANGUAGES.includes(language), `${language} has no words for choices`)
    const introduction = disclosure(language, { name: 'Mia', workspace: 'Shop $& & Co' })
    assert.ok(introduction.includes('Mia') && introduction.includes('Shop $& & Co'), introduction)
    assert.ok(disclosure(language, { name: null, workspace: 'Shop' }).includes('Shop'))
    assert.ok(aboutItself(language, 'Shop $&').includes('Shop $&'))
    assert.ok([...ownText('helped', language)].length <= BUTTON_MAX, language)
    assert.ok(saysHelped(ownText('helped', language)))
    assert.match(
      ownText('closedUntil', language),
      /\{\{hours\.opensAt\|day\}\}.*\{\{hours\.opensAt\|time\}\}/,
    )
    for (const name of ['unclear', 'someoneReplies', 'closed', 'leaveAddress', 'selfHarm'] as const)
      assert.equal(await languageOf([ownText(name, language)], null), language, `${name} in ${language}`)
    assert.match(usuallyReplies(language, 15), /[1١][5٥]/)
    assert.match(usuallyReplies(language, 120), /[2٢]|ساعتان/)
    assert.equal(await languageOf([usuallyReplies(language, 15)], null), language)
    assert.equal(sensitiveTopic(ownText('selfHarm', language)), null)
  }
  assert.equal(ownText('greeting', 'fi'), ownText('greeting', 'en'))
})
