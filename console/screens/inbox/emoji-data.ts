// Common emoji and the words that find them, by group. A line is an emoji and its words.
const PEOPLE = `
😀 grinning happy smile
😃 smiley happy
😄 laughing happy smile
😁 beaming grin
😅 sweat relief phew
😂 tears of joy laugh lol
🤣 rolling laugh rofl
🙂 slight smile
🙃 upside down silly
😉 wink
😊 blush warm smile
😇 angel innocent
🥰 hearts love adore
😍 heart eyes love
🤩 star struck wow
😘 kiss
😋 yum tasty
😜 tongue wink joking
🤪 zany crazy
🤗 hug thanks
🤭 oops giggle
🤫 shush quiet secret
🤔 thinking hmm
🤐 zipper mouth secret
🤨 raised eyebrow doubt
😐 neutral meh
😶 speechless
😏 smirk
😒 unamused
🙄 eye roll
😬 grimace awkward
😌 relieved calm
😔 sad pensive
😴 sleep tired
🤒 sick thermometer
🤕 hurt bandage
🤢 nausea
🤧 sneeze cold
🥵 hot
🥶 cold freezing
🤯 mind blown
🥳 party celebrate
😎 cool sunglasses
🤓 nerd
🧐 monocle inspect
😕 confused
😟 worried
🙁 frown sad
😮 surprised wow
😳 flushed embarrassed
🥺 pleading please
😢 cry sad
😭 sob cry
😱 scream shock
😞 disappointed
😓 sweat hard work
😩 weary
😤 triumph huff
😡 angry mad
🤬 swearing
💀 skull dead
💩 poop
🤖 robot bot
👋 wave hello bye
🤚 hand stop
✋ hand high five
👌 ok perfect
🤌 pinched fingers
✌️ victory peace
🤞 fingers crossed luck
🤟 love you
🤙 call me
👈 left point
👉 right point
👆 up point
👇 down point
👍 thumbs up yes good
👎 thumbs down no bad
✊ fist
👊 fist bump
👏 clap applause bravo
🙌 raised hands hooray
🤝 handshake deal
🙏 please thanks pray
✍️ writing sign
💪 strong muscle
🧠 brain
👀 eyes look
🤷 shrug don’t know
🤦 facepalm
🙋 raise hand question
🙇 bow sorry
👩‍💻 woman technologist computer
👨‍💻 man technologist computer
👩‍🔧 woman mechanic repair
👨‍🔧 man mechanic repair
👤 person user
👥 people users
👪 family
👶 baby`
const HEARTS = `
❤️ red heart love
🧡 orange heart
💛 yellow heart
💚 green heart
💙 blue heart
💜 purple heart
🖤 black heart
🤍 white heart
💔 broken heart
💕 two hearts
💯 hundred perfect
💥 boom
💫 dizzy
💬 speech message chat
💭 thought
💤 sleep zzz
✅ check done yes
☑️ checkbox done
✔️ check mark
❌ cross no wrong
❓ question
❗ exclamation important
⚠️ warning
🚫 forbidden no
⛔ no entry stop
ℹ️ information
🔴 red circle
🟠 orange circle
🟡 yellow circle
🟢 green circle
🔵 blue circle
⭐ star
🌟 glowing star
✨ sparkles new
🔥 fire hot
🎉 party celebrate congratulations
🎊 confetti
🎁 gift present
🏆 trophy win
🥇 gold medal first
🎯 target goal`
const THINGS = `
📦 package parcel box order
📫 mailbox
✉️ envelope email letter
📧 email
📨 incoming mail
📎 paperclip attachment
📄 page document
📝 memo note write
📋 clipboard list
📅 calendar date
📆 calendar day
⏰ alarm clock time
⏱️ stopwatch
⌛ hourglass wait
🕐 clock one time
📞 phone call
☎️ telephone
📱 mobile phone
💻 laptop computer
🖥️ desktop computer
🖨️ printer
⌨️ keyboard
📷 camera photo
🎥 video camera
🔋 battery
🔌 plug
💡 idea light bulb
🔦 flashlight
🔧 wrench repair
🔨 hammer
🛠️ tools
⚙️ gear settings
🔗 link
🔒 locked
🔓 unlocked
🔑 key
🔍 search magnifier
🔔 bell notification
🔕 bell off mute
📌 pin
📍 location pin place
🗺️ map
🏷️ label tag price
💰 money bag
💳 credit card payment
💶 euro money
💵 dollar money
💷 pound money
🧾 receipt invoice
📈 chart up
📉 chart down
📊 bar chart report
🛒 shopping cart
🛍️ shopping bags
👕 shirt clothes
👟 shoe sneaker
👓 glasses
🕶️ sunglasses
💍 ring
⌚ watch
🎧 headphones
🎮 game
🎵 music note
🎨 art palette
📚 books
🎓 graduation
💊 pill medicine
🩹 bandage
🧹 broom clean
🪑 chair
🛏️ bed
🚿 shower
🗑️ bin trash delete`
const WORLD = `
🚗 car
🚕 taxi
🚌 bus
🚆 train
✈️ plane flight travel
🚀 rocket launch
🚲 bicycle bike
🛵 scooter
🚚 truck delivery
🚢 ship
⛽ fuel
🏠 house home
🏢 office building
🏪 shop store
🏥 hospital
🏦 bank
🏨 hotel
🏖️ beach holiday
⛰️ mountain
🌍 earth world
🌞 sun
🌙 moon night
☀️ sunny
⛅ cloudy
🌧️ rain
☔ umbrella rain
❄️ snow cold
⚡ lightning fast
🌈 rainbow
🌊 wave water
🌱 plant seedling
🌳 tree
🌸 blossom
🌹 rose
🌻 sunflower
🍀 luck clover
🐶 dog
🐱 cat
🐭 mouse
🐰 rabbit
🐻 bear
🐼 panda
🐸 frog
🐝 bee
🦋 butterfly
🐟 fish
🐢 turtle slow
🦄 unicorn
🍎 apple
🍌 banana
🍇 grapes
🍓 strawberry
🥑 avocado
🍅 tomato
🥕 carrot
🍞 bread
🧀 cheese
🍕 pizza
🍔 burger
🍟 fries
🌮 taco
🥗 salad
🍣 sushi
🍜 noodles
🍰 cake
🎂 birthday cake
🍪 cookie
🍫 chocolate
🍦 ice cream
☕ coffee
🍵 tea
🥤 drink
🍺 beer
🍷 wine
🥂 cheers toast
⚽ football soccer
🏀 basketball
🎾 tennis
🏃 run
🚴 cycling
🏊 swim`

export type Emoji = { emoji: string; words: string; group: string }

export const EMOJI: readonly Emoji[] = Object.entries({
  'Smileys and people': PEOPLE,
  'Hearts and signs': HEARTS,
  Things: THINGS,
  'Places, nature and food': WORLD,
}).flatMap(([group, lines]) =>
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const at = line.indexOf(' ')
      return { emoji: line.slice(0, at), words: line.slice(at + 1), group }
    }),
)
