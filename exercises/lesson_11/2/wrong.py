# %% two heartbeats in two batches: arrive in one batch
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    tester.test("T", heard(1))
    assert tester.test("T", heard(30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.setWatermark(55 * MINUTE) == [alarm("T", 40 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())

# %% without `assert tester.test("T", heard(60)) == []`: twice
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.setWatermark(55 * MINUTE) == [alarm("T", 40 * MINUTE)]
    # it has been reported


check_silence(EachSilence())

# %% nine minutes: exactly ten minutes
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(39)) == []  # exactly ten minutes later
    assert tester.setWatermark(55 * MINUTE) == [alarm("T", 39 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())

# %% with `assert tester.peekValueState("last", "T") == (40 * MINUTE,)`: has another name
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.peekValueState("last", "T") == (40 * MINUTE,)
    assert tester.setWatermark(55 * MINUTE) == [alarm("T", 40 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())

# %% `setWatermark(45 * MINUTE` for `setWatermark(55 * MINUTE`: that processor is right
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.setWatermark(45 * MINUTE) == [alarm("T", 40 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())

# %% comparisons without `assert`: asserts nothing
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    tester.test("T", heard(40)) == []  # exactly ten minutes later
    tester.setWatermark(55 * MINUTE) == [alarm("T", 40 * MINUTE)]
    tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())

# %% `Alarm` for `alarm`: NameError
DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [Alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.setWatermark(55 * MINUTE) == [Alarm("T", 40 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())
